/** `npm run versions -- <command>`: shows the serving version of each function, and changes it without a deployment. */
import { readFileSync } from 'node:fs';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { Lambda, paginateListAliases, paginateListVersionsByFunction } from '@aws-sdk/client-lambda';
import { command, runCommand, timeIn } from '../shared/platform/command.ts';

const usage = `Usage: npm run versions -- <command> <stack>

Every function of a stack, of a route or a job, runs through its alias "live". With credentials of the account, and AWS_REGION:

  show <stack>                      prints the version that each alias points to, as JSON
  restore <stack> <file>            points the aliases to the versions of a file that show has written
  rollback <stack> --before <time>  points an alias whose version was published since a time, such as
                                    2026-11-22T03:00Z, to the newest version from before it; the others stay
  forward <stack>                   points the aliases to the versions that were deployed last
  prune <stack>                     deletes versions: not the newest five, nor those that an alias points to

Exits with 0 if all was done, 1 if something failed, 2 for wrong usage.`;

/** The alias through which all requests reach a function. */
export const ALIAS = 'live';
const KEPT_VERSIONS = 5;

interface LiveAlias {
  readonly functionName: string;
  /** The version that it points to. */
  readonly version: string;
  /** Whether another version also gets requests, as during a canary. */
  readonly isSplit: boolean;
  /** The version of the stack's last deployment; undefined if the stack has none. */
  readonly deployed: string | undefined;
}

/** The version that an alias should point to; undefined: there is none. */
type Target = readonly [alias: LiveAlias, version: string | undefined];

const commands = {
  show: command('show <stack>', {}, ([stack = '']) => async () => {
    const aliases = await liveAliases(stack).catch((error: unknown) => {
      // Nothing serves before the first deployment.
      if (/does not exist/.test(String(error))) return [];
      throw error;
    });
    const versions = aliases.map(({ functionName, version }) => [functionName, version]);
    console.log(JSON.stringify(Object.fromEntries(versions), null, 2));
  }),
  restore: command('restore <stack> <file>', {}, ([stack = '', file = '']) => async () => {
    const record = readRecord(file);
    const aliases = await liveAliases(stack);
    const known = new Set(aliases.map(({ functionName }) => functionName));
    for (const name of Object.keys(record).filter((name) => !known.has(name)))
      console.log(`left ${name}: the stack has no such function any more`);
    const targets = aliases.map((alias): Target => [alias, record[alias.functionName]]);
    for (const [alias] of targets.filter(([, version]) => version === undefined))
      console.log(`left ${alias.functionName}: it is newer than the record`);
    return pointAll(targets.filter(([, version]) => version !== undefined));
  }),
  rollback: command(
    'rollback <stack> --before <time>',
    { before: { type: 'string' } },
    ([stack = ''], { before = '' }) => {
      const time = timeIn(before, '--before');
      return async () => {
        // No alias is moved before the versions of all functions are known.
        const targets: Target[] = [];
        for (const alias of await liveAliases(stack)) targets.push([alias, await versionBefore(alias, time)]);
        return pointAll(targets);
      };
    },
  ),
  forward: command('forward <stack>', {}, ([stack = '']) => async () => {
    const aliases = await liveAliases(stack);
    return pointAll(aliases.map((alias) => [alias, alias.deployed ?? alias.version]));
  }),
  prune: command('prune <stack>', {}, ([stack = '']) => async () => {
    let isDone = true;
    for (const { functionName } of await liveAliases(stack))
      if (!(await deleteOld(functionName))) isDone = false;
    return isDone;
  }),
};

/** The aliases `live` of a stack's functions, by function name. Throws CloudFormation's and Lambda's errors. */
async function liveAliases(stack: string): Promise<LiveAlias[]> {
  const names: string[] = [];
  const deployed = new Map<string, string>();
  const client = new CloudFormationClient();
  for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
    for (const resource of page.StackResourceSummaries ?? []) {
      // An update has removed this resource from the stack.
      if (resource.ResourceStatus?.startsWith('DELETE_')) continue;
      // arn:<partition>:lambda:<region>:<account>:function:<name>:<alias or version>
      const [name, qualifier] = resource.PhysicalResourceId?.split(':').slice(6) ?? [];
      if (!name || !qualifier) continue;
      if (resource.ResourceType === 'AWS::Lambda::Alias' && qualifier === ALIAS) names.push(name);
      if (resource.ResourceType === 'AWS::Lambda::Version') deployed.set(name, qualifier);
    }
  }
  const lambda = new Lambda();
  const aliases: LiveAlias[] = [];
  for (const functionName of names.sort()) {
    const { FunctionVersion: version = '', RoutingConfig: routing } = await lambda.getAlias({
      FunctionName: functionName,
      Name: ALIAS,
    });
    const isSplit = Object.keys(routing?.AdditionalVersionWeights ?? {}).length > 0;
    aliases.push({ functionName, version, isSplit, deployed: deployed.get(functionName) });
  }
  return aliases;
}

/** Parses the output of `show`: function name → version. Throws an Error with the file's name if it is invalid. */
function readRecord(file: string): Readonly<Record<string, string>> {
  const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const isRecord =
    typeof record === 'object' &&
    record !== null &&
    !Array.isArray(record) &&
    Object.values(record).every((version) => typeof version === 'string' && /^\d+$/.test(version));
  if (!isRecord) throw new Error(`${file} is not what show prints: {"<function>": "<version>"}`);
  return record as Record<string, string>; // checked above
}

/**
 * Points each alias to its version for all requests, and prints a line for each, failures on stderr. A failure does not
 * stop the others. Returns whether all succeeded.
 */
async function pointAll(targets: readonly Target[]): Promise<boolean> {
  const lambda = new Lambda();
  let moved = 0;
  let failed = 0;
  for (const [{ functionName, version, isSplit }, to] of targets) {
    if (to === version && !isSplit) {
      console.log(`unchanged ${functionName}: ${version}`);
      continue;
    }
    try {
      if (to === undefined) throw new Error('there is no version from before that time');
      const RoutingConfig = { AdditionalVersionWeights: {} };
      await lambda.updateAlias({
        FunctionName: functionName,
        Name: ALIAS,
        FunctionVersion: to,
        RoutingConfig,
      });
      moved += 1;
      console.log(`moved ${functionName}: ${version} → ${to}`);
    } catch (error) {
      failed += 1;
      const reason = String(error).replace(/^Error: /, '');
      // The alias existed a moment ago, so the version is missing.
      const isMissing = reason.startsWith('ResourceNotFoundException');
      console.error(
        `not moved ${functionName}: ${version}, ${isMissing ? `version ${to} no longer exists` : reason}`,
      );
    }
  }
  console.log(`${moved} moved, ${targets.length - moved - failed} unchanged, ${failed} not moved`);
  return failed === 0;
}

/** The newest version published before a time; the alias's own version if it is older. */
async function versionBefore(
  { functionName, version }: LiveAlias,
  time: number,
): Promise<string | undefined> {
  const older = (await versionsOf(functionName)).filter(({ publishedAt }) => publishedAt < time);
  return (older.find((one) => one.version === version) ?? older[0])?.version;
}

/** The published versions of a function, newest first. */
async function versionsOf(functionName: string) {
  const versions: { readonly version: string; readonly publishedAt: number }[] = [];
  const pages = paginateListVersionsByFunction({ client: new Lambda() }, { FunctionName: functionName });
  // All except $LATEST, the source of the next version.
  for await (const { Versions = [] } of pages)
    for (const { Version: version = '', LastModified: time = '' } of Versions)
      if (/^\d+$/.test(version)) versions.push({ version, publishedAt: Date.parse(time) });
  return versions.sort((a, b) => Number(b.version) - Number(a.version));
}

/** Deletes old versions that serve no requests through an alias, and prints them. Returns whether all succeeded. */
async function deleteOld(functionName: string): Promise<boolean> {
  const lambda = new Lambda();
  const used = new Set<string | undefined>();
  for await (const { Aliases = [] } of paginateListAliases(
    { client: lambda },
    { FunctionName: functionName },
  ))
    for (const { FunctionVersion, RoutingConfig } of Aliases)
      for (const one of [FunctionVersion, ...Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {})])
        used.add(one);
  const old = (await versionsOf(functionName)).slice(KEPT_VERSIONS);
  let isDone = true;
  for (const { version } of old.filter((one) => !used.has(one.version))) {
    try {
      await lambda.deleteFunction({ FunctionName: functionName, Qualifier: version });
      console.log(`deleted ${functionName}: ${version}`);
    } catch (error) {
      isDone = false;
      console.error(
        `not deleted ${functionName}: ${version}, ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  return isDone;
}

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) => runCommand(args, usage, commands);

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
