/** `npm run keys -- add | list | revoke`: keys of named clients. */
import type { KeyRecord } from '../shared/http/named-keys.ts';
import { command, runCommand } from '../shared/platform/command.ts';
import { parseInstant } from '../shared/platform/instant.ts';
import { addKey, awsEdgeStore, type KeyStores, listKeys, type NewClient, revokeKey } from './keys/records.ts';
import { type Place, placeOf, placeOptions, placeUsage } from './place.ts';

const usage = `Usage: npm run keys -- add <name> [--per-minute <N>] [--expires <date>] [options]
       npm run keys -- list [options]
       npm run keys -- revoke <name> [options]

\`add\` creates a client's key and prints it once: only its digest is stored. New and revoked keys take effect within a
minute. Each command prints JSON.

  <name>              letters, digits, - and _, at most 64
  --per-minute <N>    requests a minute, instead of each route's own limit
  --expires <date>    such as 2027-06-30 (over when that day begins in UTC), or 2027-06-30T12:00:00Z
${placeUsage}
                      It asks for keys if NODE_ENV is production.

Examples:
  npm run keys -- add alice
  npm run keys -- add spreadsheet --per-minute 30 --expires 2027-06-30 --stage prod
  npm run keys -- revoke alice --stage prod

Exit status: 0 success, 1 failure, 2 wrong usage. A stage also needs the AWS CLI.`;

const print = (data: unknown) => console.log(JSON.stringify(data, null, 2));

const commands = {
  add: command(
    'add <name>',
    { ...placeOptions, 'per-minute': { type: 'string' }, expires: { type: 'string' } },
    ([name = ''], { expires, 'per-minute': perMinute, ...where }) => {
      if (!/^[\w-]{1,64}$/.test(name))
        throw new Error(`No name: ${name}. It may have letters, digits, - and _, at most 64`);
      const client = { name, perMinute: perMinuteIn(perMinute), expires: expiryIn(expires) };
      return async () => {
        const key = await addKey(storesOf(await placeOf(where)), client, Date.now());
        print({ ...shown(client), key });
        console.error('Save the key: it is shown only once.');
      };
    },
  ),
  list: command('list', placeOptions, (_, where) => async () => {
    const records: readonly KeyRecord[] = await listKeys(storesOf(await placeOf(where)));
    const sorted = records.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
    print(sorted.map((record) => ({ ...shown(record), made: new Date(record.made) })));
  }),
  revoke: command('revoke <name>', placeOptions, ([name = ''], where) => async () => {
    await revokeKey(storesOf(await placeOf(where)), name);
    print({ revoked: name });
  }),
};

function storesOf({ table, edgeKeys }: Place): KeyStores {
  if (!table) throw new Error('There are no keys: give --stage, or --store with the folder of a server');
  return { table, edge: edgeKeys === undefined ? undefined : awsEdgeStore(edgeKeys) };
}

function perMinuteIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error('--per-minute takes a whole number from 1 to 999999');
  return Number(text);
}

function expiryIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isWellFormed = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text);
  const expires = isWellFormed ? parseInstant(text)?.first : undefined;
  if (expires !== undefined && expires > Date.now()) return expires;
  const isMissing = isWellFormed && expires === undefined;
  throw new Error(
    `${isMissing ? `There is no ${text}; ` : ''}--expires takes a date to come, such as 2027-06-30 or 2027-06-30T12:00:00Z`,
  );
}

function shown({ name, perMinute, expires }: NewClient) {
  return { name, perMinute: perMinute ?? null, expires: expires === undefined ? null : new Date(expires) };
}

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) => runCommand(args, usage, commands);

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
