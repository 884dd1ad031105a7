import { once } from 'node:events';
import { openDatabase } from '../../db/database.ts';

/** Opens the database whose URL is the first argument, and reports how many migrations it has. */
const url = process.argv[2] ?? '';
process.send?.('ready');
await once(process, 'message');
await using database = await openDatabase({ url });
const rows = await database.kysely.selectFrom('schema_migrations').select('number').execute();
process.send?.(rows.length);
process.disconnect();
