import { once } from 'node:events';
import { openDatabase } from '../../db/database.ts';

/** Opens the database file of the first argument and answers how many migrations it then has. */
const path = process.argv[2] ?? '';
process.send?.('ready');
await once(process, 'message');
await using database = await openDatabase({ url: `sqlite:${path}` });
const rows = await database.kysely.selectFrom('schema_migrations').select('number').execute();
process.send?.(rows.length);
process.disconnect();
