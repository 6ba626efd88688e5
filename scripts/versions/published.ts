import {
  DeleteFunctionCommand,
  type LambdaClient,
  paginateListAliases,
  paginateListVersionsByFunction,
} from '@aws-sdk/client-lambda';
import type { LiveAlias } from './live-aliases.ts';
import type { Aim } from './point.ts';

interface Version {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}

/** The published versions of a function, the newest first. */
async function versionsOf(functionName: string, lambda: LambdaClient): Promise<Version[]> {
  const versions: Version[] = [];
  for await (const page of paginateListVersionsByFunction(
    { client: lambda },
    { FunctionName: functionName },
  )) {
    for (const { Version: number = '', LastModified: time = '' } of page.Versions ?? []) {
      // All but $LATEST, which is what the next version will be made of.
      if (/^\d+$/.test(number)) versions.push({ number: Number(number), publishedAt: Date.parse(time) });
    }
  }
  return versions.sort((a, b) => b.number - a.number);
}

/**
 * Where each alias was before a time (milliseconds since 1970): at the newest version published before it. An alias at
 * such a version already stays, whatever newer ones there are.
 */
export async function aimsBefore(
  aliases: readonly LiveAlias[],
  time: number,
  lambda: LambdaClient,
): Promise<Aim[]> {
  const aims: Aim[] = [];
  for (const alias of aliases) {
    const older = (await versionsOf(alias.functionName, lambda)).filter((found) => found.publishedAt < time);
    const at = older.find(({ number }) => String(number) === alias.version) ?? older[0];
    aims.push(
      at ? { alias, to: String(at.number) } : { alias, problem: 'there is no version from before that time' },
    );
  }
  return aims;
}

/**
 * Deletes the versions of the functions beyond the newest `keep`, save those to which any alias leads a request. Says
 * which, failures on stderr, and returns whether there was none.
 */
export async function deleteOld(
  aliases: readonly LiveAlias[],
  keep: number,
  lambda: LambdaClient,
): Promise<boolean> {
  let done = true;
  for (const { functionName } of aliases) {
    const used = await usedVersions(functionName, lambda);
    const old = (await versionsOf(functionName, lambda)).slice(keep);
    for (const { number } of old.filter((version) => !used.has(String(version.number)))) {
      try {
        await lambda.send(
          new DeleteFunctionCommand({ FunctionName: functionName, Qualifier: String(number) }),
        );
        console.log(`deleted ${functionName}: ${number}`);
      } catch (error) {
        done = false;
        console.error(
          `not deleted ${functionName}: ${number}, ${error instanceof Error ? error.message : error}`,
        );
      }
    }
  }
  return done;
}

async function usedVersions(functionName: string, lambda: LambdaClient): Promise<Set<string>> {
  const used = new Set<string>();
  for await (const page of paginateListAliases({ client: lambda }, { FunctionName: functionName })) {
    for (const { FunctionVersion: version, RoutingConfig: routing } of page.Aliases ?? []) {
      if (version) used.add(version);
      for (const other of Object.keys(routing?.AdditionalVersionWeights ?? {})) used.add(other);
    }
  }
  return used;
}
