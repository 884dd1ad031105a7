import { access } from './access/access.ts';
import { avatar } from './avatar.ts';
import { budget, budgetPage } from './budget/budget.ts';
import { answerAsk } from './face/face-ask.ts';
import { dropFace, keepFace } from './face/face-buttons.ts';
import { face } from './face/face.ts';
import { help } from './help.ts';
import { identitySwap } from './identity-swap.ts';
import { jobs } from './jobs/jobs.ts';
import { lipSync } from './lip-sync.ts';
import { live } from './live.ts';
import { motionTransfer } from './motion-transfer.ts';
import { operatorPage } from './operator/operator-page.ts';
import { operator } from './operator/operator.ts';
import { photoSwap } from './photo-swap.ts';
import { pickFile } from './menus/pick-file.ts';
import { pickUse } from './menus/pick-use.ts';
import { pickedJob } from './menus/picked-job.ts';
import { clearFaces, deleteData, keepData } from './privacy/privacy-buttons.ts';
import { privacy } from './privacy/privacy.ts';
import {
  cancelButton,
  confirmButton,
  deleteButton,
  pageButton,
  reportButton,
  retryButton,
} from './jobs/result-buttons.ts';
import { overrunButton } from './spend/overruns.ts';
import { spend } from './spend/spend.ts';
import { useAsInput } from './menus/use-as-input.ts';
import { useAvatar } from './menus/use-avatar.ts';
import { useInASwap } from './menus/use-in-a-swap.ts';
import { videoSwap } from './video-swap.ts';
import {
  agreeToVoice,
  chooseVoice,
  declineVoice,
  joinVoice,
  leaveVoice,
  stopVoice,
  voiceStatusButton,
} from './voice/voice-buttons.ts';
import { voice } from './voice/voice.ts';
import { voices, voicesPage } from './voices.ts';
import type { AnyCommandData, Command, MenuCommand } from '../src/bot/discord/command.ts';
import type { InteractionHandlers } from '../src/bot/discord/interactions/interaction-router.ts';

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

/** Everything in the bot that a member can use. The commands are in the order in which Discord lists them. */
export const HANDLERS: Required<InteractionHandlers> = {
  // `/help` does not list the operator's command.
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

/** The definitions that the bot publishes to Discord. Components and forms have none. */
export const COMMAND_DEFINITIONS: readonly AnyCommandData[] = [...HANDLERS.commands, ...HANDLERS.menus].map(
  ({ data }) => data,
);
