/** `npm run check:openapi -- <file> <URL>`: whether a running service answers as an OpenAPI description says. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runProgram } from '../shared/platform/command.ts';
import { isRecord } from '../shared/platform/is-record.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { DAY_MS } from '../shared/platform/time.ts';
import { type Description, readDescription } from './check-openapi/description.ts';
import { queriesOf } from './check-openapi/queries.ts';
import { type Problem, type Received, responseProblems } from './check-openapi/responses.ts';
import { type GivenValues, valuesOf } from './check-openapi/values.ts';

const usage = `Usage: npm run check:openapi -- <file> <URL> [options]

Sends queries that are valid by an OpenAPI description (3.0 or 3.1, JSON) to a service, and prints what its responses break of
the description: each field of a route with the rule, in how many of the route's responses it is broken, a value and its query.
<URL> takes the place of the description's server. Only GET is sent. Ids come from the description and from lists of the
service that a parameter's text names; where the service has a limit of requests, the check waits.

Options:
  --queries <N>     queries of a route (default: 20)
  --seed <N>        other random queries (default: 1)
  --values <file>   JSON: {"<parameter>": [values], "<route> <parameter>": [values]} instead of all others; or
                    {"<route>": [names]}, optional parameters of which the service requires one

Example:
  npm run check:openapi -- docs/openapi.json http://localhost:3000

Exit status: 0 all responses are valid, 1 some are not, 2 wrong usage.`;

const TIMEOUT_MS = 60_000;
/** A route is not served if it answers 404 so many times, and nothing else. */
const MISSES = 5;
const LIMITED_TRIES = 5;
const LONGEST_WAIT_S = 60;
const SHOWN_LENGTH = 100;

interface Settings {
  readonly base: string;
  readonly seed: number;
  readonly count: number;
  readonly given: GivenValues;
}

interface Violation extends Problem {
  readonly url: string;
  responses: number;
}

interface RouteResult {
  readonly path: string;
  /** Why no query was sent; undefined if some were. */
  readonly skipped?: string;
  readonly total: number;
  readonly valid: number;
  readonly isServed: boolean;
  readonly violations: readonly Violation[];
}

/** Checks a route after the other, those first whose responses have values for others. */
async function* results(
  description: Description,
  { base, seed, count, given }: Settings,
): AsyncGenerator<RouteResult> {
  // Times in queries are those of the day, so that a run can be repeated.
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const values = valuesOf(description, given, today);
  const problemsOf = responseProblems(description);
  const [sources = [], others = []] = [true, false].map((isSource) =>
    description.operations.filter(({ path }) => values.isSource(path) === isSource),
  );
  for (const operation of [...sources, ...others]) {
    const { method, path } = operation;
    const result = { path, total: 0, valid: 0, isServed: false, violations: [] };
    const queries = method === 'GET' ? queriesOf(operation, values, seed, count) : undefined;
    if (!Array.isArray(queries)) {
      yield { ...result, skipped: queries ? `no value is known for ${queries}` : method };
      continue;
    }
    const violations = new Map<string, Violation>();
    let total = 0;
    let valid = 0;
    let isServed = false;
    for (const query of queries) {
      if (!isServed && total === MISSES) break;
      const url = base + query;
      const received = await receive(url);
      total += 1;
      if (received.status !== 404) isServed = true;
      const problems = problemsOf(operation, received);
      if (problems.length === 0) valid += 1;
      for (const [key, problem] of new Map(problems.map((one) => [`${one.field} ${one.rule}`, one]))) {
        const violation = violations.get(key) ?? { ...problem, url, responses: 0 };
        violation.responses += 1;
        violations.set(key, violation);
      }
      if (received.status === 200) values.learn(path, jsonOrUndefined(received.body));
    }
    yield { ...result, total, valid, isServed, violations: [...violations.values()] };
  }
}

/** Fetches a URL. Waits as long as a limit of requests requires. Throws an Error if there is no response. */
async function receive(url: string): Promise<Received> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
      const body = await response.text();
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      if (response.status === 429 && tries < LIMITED_TRIES) {
        await sleep(Math.min(seconds, LONGEST_WAIT_S) * 1000);
        continue;
      }
      return { status: response.status, contentType: response.headers.get('content-type') ?? '', body };
    } catch (error) {
      const cause = error instanceof Error && error.cause ? error.cause : error;
      throw new Error(`${url}: ${isRecord(cause) && cause.code ? cause.code : messageOf(cause)}`);
    }
  }
}

function jsonOrUndefined(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Prints the violations of each route, then routes without queries or service. Returns whether all responses are valid. */
async function check(description: Description, settings: Settings): Promise<boolean> {
  const all: RouteResult[] = [];
  for await (const result of results(description, settings)) {
    all.push(result);
    if (!result.isServed || result.violations.length === 0) continue;
    console.log(result.path);
    for (const { field, rule, value, responses, url } of result.violations.toSorted((a, b) =>
      a.field < b.field ? -1 : 1,
    )) {
      const shown = value === undefined ? '' : `: ${shortened(value)}`;
      console.log(`  ${field || '(body)'}  ${rule}, in ${responses} of ${result.total}${shown}\n    ${url}`);
    }
  }
  const skipped = all.flatMap(({ path, skipped: reason }) => (reason ? `${path}: ${reason}` : []));
  const unserved = all.filter((one) => !one.isServed && !one.skipped).map(({ path }) => path);
  printList('Not requested:', skipped);
  printList('Not served, 404 for each query:', unserved);
  const served = all.filter(({ isServed }) => isServed);
  const sum = (key: 'valid' | 'total') => served.reduce((before, one) => before + one[key], 0);
  console.log(`${sum('valid')} of ${sum('total')} responses valid`);
  // A wrong URL answers 404 to everything.
  return served.length > 0 && sum('valid') === sum('total');
}

function printList(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log([title, ...lines.map((line) => `  ${line}`)].join('\n'));
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** Reads a file with `read`. Throws an Error that names the file. */
function readFile<T>(file: string, read: (text: string) => T): T {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`);
  }
}

function readValues(text: string): GivenValues {
  const json: unknown = JSON.parse(text);
  if (!isRecord(json) || !Object.values(json).every(Array.isArray))
    throw new Error('the values are lists by parameter: {"<parameter>": [values]}');
  return json as GivenValues; // checked above
}

function positiveInteger(text: string, option: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`${option} takes a number from 1 on, not ${text}`);
  return Number(text);
}

/** Checks a service, and returns the exit status. */
export const main = (args: readonly string[]) =>
  runProgram(args, usage, 'Not checked', () => {
    const text = { type: 'string' } as const;
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { queries: text, seed: text, values: text },
    });
    const [file, url] = positionals;
    if (!file || !url || positionals.length > 2) throw new Error('The command is: <file> <URL>');
    if (!URL.canParse(url)) throw new Error(`${url} is not a URL`);
    const seed = positiveInteger(values.seed ?? '1', '--seed');
    const count = positiveInteger(values.queries ?? '20', '--queries');
    return () => {
      const given = values.values ? readFile(values.values, readValues) : {};
      const description = readFile(file, readDescription);
      return check(description, { base: url.replace(/\/$/, ''), seed, count, given });
    };
  });

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
