import { render } from 'preact';
import '../kit/theme.css';
import { Chat } from './store/chat.ts';
import { ChatContext } from './store/use-chat.ts';
import { App } from './view/app.tsx';

const place = document.getElementById('page');
const chat = new Chat();
chat.start();
if (place) {
  render(
    <ChatContext.Provider value={chat}>
      <App />
    </ChatContext.Provider>,
    place,
  );
}
