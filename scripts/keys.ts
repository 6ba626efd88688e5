/** `npm run keys -- add | list | revoke`: keys of named clients. */
import { parseArgs } from 'node:util';
import type { KeyRecord } from '../shared/http/named-keys.ts';
import { runCommand } from './command.ts';
import { type Place, placeOf, type Where } from './keys/place.ts';
import { addKey, listKeys, type NewClient, revokeKey } from './keys/records.ts';

const usage = `Usage: npm run keys -- add <name> [--per-minute <N>] [--expires <date>] [options]
       npm run keys -- list [options]
       npm run keys -- revoke <name> [options]

\`add\` makes a key for a client and prints it this once: only its digest is stored. A new key works within a minute, and
one that is revoked is refused within a minute.

  <name>              letters, digits, - and _, at most 64
  --per-minute <N>    requests a minute in place of each route's own limit
  --expires <date>    such as 2027-06-30 (over when that day begins in UTC), or 2027-06-30T12:00:00Z

  --stage dev|prod    of a deployed stage, with credentials of the account, AWS_REGION and the AWS CLI
  --store <PATH>      of the NODE_ENV=production npm start that runs with this --store (.local/store): what is used
                      unless told otherwise; its keys end with it
  --json              prints JSON alone

Examples:
  npm run keys -- add alice
  npm run keys -- add spreadsheet --per-minute 30 --expires 2027-06-30 --stage prod
  npm run keys -- revoke alice --stage prod

Exits with 0 if it was done, 1 if not, 2 for wrong usage.`;

interface Wanted {
  readonly where: Where;
  readonly run: (place: Place) => Promise<void>;
}

function read(args: readonly string[]): Wanted {
  const { positionals, values } = parseArgs({
    args: [...args],
    options: {
      'per-minute': { type: 'string' },
      expires: { type: 'string' },
      stage: { type: 'string' },
      store: { type: 'string' },
      json: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const { stage, store } = values;
  if (stage && store) throw new Error('--stage finds its table by itself: leave --store out');
  const where = { stage, store };
  const print = (data: unknown, text: string) =>
    console.log(values.json ? JSON.stringify(data, null, 2) : text);
  const [command, ...names] = positionals;
  if (command !== 'add' && (values['per-minute'] !== undefined || values.expires !== undefined))
    throw new Error('--per-minute and --expires are for add');
  if (command === 'list' && names.length === 0)
    return { where, run: async (place) => printList(await listKeys(place), print) };
  if (command === 'revoke') {
    const name = onlyName(names);
    return {
      where,
      run: async (place) => {
        await revokeKey(place, name);
        print({ revoked: name }, `Revoked ${name}: its key is refused everywhere within a minute`);
      },
    };
  }
  if (command !== 'add')
    throw new Error(command ? `Unknown command: ${positionals.join(' ')}` : 'The command is missing');
  const client: NewClient = {
    name: onlyName(names),
    perMinute: perMinuteIn(values['per-minute']),
    expires: expiryIn(values.expires, Date.now()),
  };
  return {
    where,
    run: async (place) => {
      const key = await addKey(place, client, Date.now());
      print(
        { ...shown(client), key },
        `${key}\n\nThe key of ${client.name}. Keep it: it is shown this once.`,
      );
    },
  };
}

function onlyName([name, ...others]: readonly string[]): string {
  if (!name || others.length > 0) throw new Error('Whose key? Give one name');
  if (!/^[\w-]{1,64}$/.test(name))
    throw new Error(`No name: ${name}. It may have letters, digits, - and _, at most 64`);
  return name;
}

function perMinuteIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error('--per-minute takes a whole number from 1 to 999999');
  return Number(text);
}

function expiryIn(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const expires = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!(expires > now))
    throw new Error('--expires takes a date to come, such as 2027-06-30 or 2027-06-30T12:00:00Z');
  return expires;
}

const timeText = (time: number) => new Date(time).toISOString();

function shown({ name, perMinute, expires }: NewClient) {
  return { name, perMinute: perMinute ?? null, expires: expires === undefined ? null : timeText(expires) };
}

function printList(records: readonly KeyRecord[], print: (data: unknown, text: string) => void): void {
  const all = records.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const rows = all.map((record) => [
    record.name,
    timeText(record.made),
    record.expires === undefined ? 'never' : timeText(record.expires),
    record.perMinute === undefined ? "the routes' own" : `${record.perMinute} a minute`,
  ]);
  const table = [['NAME', 'MADE', 'EXPIRES', 'LIMIT'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  print(
    all.map((record) => ({ ...shown(record), made: timeText(record.made) })),
    all.length > 0 ? lines.join('\n') : 'There are no keys of named clients',
  );
}

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) =>
  runCommand(args, {
    usage,
    read,
    run: async ({ where, run }) => {
      await run(await placeOf(where));
      return true;
    },
    failed: (reason) => reason,
  });

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
