import { VoiceConnectionStatus, entersState, joinVoiceChannel } from '@discordjs/voice';
import { Client, GatewayIntentBits } from 'discord.js';

/** Runs a bot in its own process: it joins the channel, and prints `ready` or why it could not join. */
const [token = '', api = '', guildId = '', channelId = ''] = process.argv.slice(2);
const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
  rest: { api },
});
const ready = new Promise((resolve) => client.once('clientReady', resolve));
await client.login(token);
await ready;
const guild = client.guilds.cache.get(guildId);
if (!guild) throw new Error('Cannot join: the guild is missing');
const connection = joinVoiceChannel({ guildId, channelId, adapterCreator: guild.voiceAdapterCreator });
const failed = new Promise<string>((resolve) => connection.once('error', ({ message }) => resolve(message)));
const joined = entersState(connection, VoiceConnectionStatus.Ready, 10_000).then(() => 'ready');
joined.catch(() => undefined);
process.stdout.write(await Promise.race([joined, failed]));
connection.destroy();
await client.destroy();
