import { startMediaServer, showConsolePassword } from './embedded-media-server.ts';
import { type Role, printReady } from './role.ts';

/** `media-server`: runs only the media server. */
export const mediaServer: Role = async (context) => {
  const server = await startMediaServer(context);
  const { apiKey, signingSecret } = context.settings.mediaServer;
  if (apiKey === null || signingSecret === null) {
    context.log.info(
      { set: ['MEDIA_SERVER_API_KEY', 'MEDIA_SERVER_SIGNING_SECRET'] },
      'The key and the signing secret were generated at the first start; set these variables to use your own',
    );
  }
  showConsolePassword(context, server);
  printReady(context, { ready: 'media-server', base_url: server.baseUrl, console: server.consoleUrl });
  return server;
};
