import { render } from 'preact';
import '../../../base/pages/kit/theme.css';
import { Chat } from './store/chat.ts';
import { ChatContext } from './store/use-chat.ts';
import { App } from './view/app.tsx';
import { VoiceContext } from './voice/use-voice-call.ts';
import { VoiceCall } from './voice/voice-call.ts';
import { WireContext } from './wire/use-wire-book.ts';
import { WireBook } from './wire/wire-book.ts';

const place = document.getElementById('page');
const chat = new Chat();
const voice = new VoiceCall(chat);
const wire = new WireBook(chat.live);
chat.start();
if (place) {
  render(
    <ChatContext.Provider value={chat}>
      <VoiceContext.Provider value={voice}>
        <WireContext.Provider value={wire}>
          <App />
        </WireContext.Provider>
      </VoiceContext.Provider>
    </ChatContext.Provider>,
    place,
  );
}
