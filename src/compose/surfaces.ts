import { access } from '../../commands/access.ts';
import { avatar } from '../../commands/avatar.ts';
import { budget, budgetPage } from '../../commands/budget.ts';
import { answerAsk } from '../../commands/face-ask.ts';
import { dropFace, keepFace } from '../../commands/face-buttons.ts';
import { face } from '../../commands/face.ts';
import { help } from '../../commands/help.ts';
import { identitySwap } from '../../commands/identity-swap.ts';
import { jobs } from '../../commands/jobs.ts';
import { lipSync } from '../../commands/lip-sync.ts';
import { live } from '../../commands/live.ts';
import { motionTransfer } from '../../commands/motion-transfer.ts';
import { operatorPage } from '../../commands/operator-pages.ts';
import { operator } from '../../commands/operator.ts';
import { photoSwap } from '../../commands/photo-swap.ts';
import { pickFile } from '../../commands/pick-file.ts';
import { pickUse } from '../../commands/pick-use.ts';
import { pickedJob } from '../../commands/picked-job.ts';
import { clearFaces, deleteData, keepData } from '../../commands/privacy-buttons.ts';
import { privacy } from '../../commands/privacy.ts';
import {
  cancelButton,
  confirmButton,
  deleteButton,
  pageButton,
  reportButton,
  retryButton,
} from '../../commands/result-buttons.ts';
import { overrunButton } from '../../commands/spend-overruns.ts';
import { spend } from '../../commands/spend.ts';
import { useAsInput } from '../../commands/use-as-input.ts';
import { useAvatar } from '../../commands/use-avatar.ts';
import { useInASwap } from '../../commands/use-in-a-swap.ts';
import { videoSwap } from '../../commands/video-swap.ts';
import {
  agreeToVoice,
  chooseVoice,
  declineVoice,
  joinVoice,
  leaveVoice,
  stopVoice,
  voiceStatusButton,
} from '../../commands/voice-buttons.ts';
import { voice } from '../../commands/voice.ts';
import { voices, voicesPage } from '../../commands/voices.ts';
import type { AnyCommandData, Command, MenuCommand } from '../bot/discord/command.ts';
import type { SurfaceLists } from '../bot/discord/interactions/surfaces.ts';

const COMMANDS: readonly Command[] = [
  photoSwap,
  videoSwap,
  identitySwap,
  motionTransfer,
  avatar,
  lipSync,
  voice,
  live,
  face,
  jobs,
  voices,
  privacy,
  budget,
  spend,
  access,
];
const MENUS: readonly MenuCommand[] = [useInASwap, useAvatar];

/** Everything of the bot that a member can use. Commands are in the order in which Discord lists them. */
export const SURFACES: Required<SurfaceLists> = {
  // Members need not hear of the operator's.
  commands: [...COMMANDS, help(COMMANDS, MENUS), operator],
  menus: MENUS,
  components: [
    retryButton,
    cancelButton,
    confirmButton,
    overrunButton,
    deleteButton,
    reportButton,
    pageButton,
    useAsInput,
    pickFile,
    pickUse,
    voicesPage,
    budgetPage,
    keepFace,
    dropFace,
    answerAsk,
    deleteData,
    keepData,
    clearFaces,
    operatorPage,
    joinVoice,
    chooseVoice,
    leaveVoice,
    stopVoice,
    voiceStatusButton,
    agreeToVoice,
    declineVoice,
  ],
  forms: [pickedJob],
};

/** What Discord is told of these: only commands and menus have definitions. */
export const DEFINITIONS: readonly AnyCommandData[] = [...SURFACES.commands, ...SURFACES.menus].map(
  ({ data }) => data,
);
