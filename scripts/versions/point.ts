import { type LambdaClient, UpdateAliasCommand } from '@aws-sdk/client-lambda';
import { ALIAS, type LiveAlias } from './live-aliases.ts';

/** The version that an alias is to point to, or the reason why it cannot. */
export type Aim =
  | { readonly alias: LiveAlias; readonly to: string }
  | { readonly alias: LiveAlias; readonly problem: string };

/**
 * Points each alias to its version with all requests, and says what became of it: one line each, failures on stderr. One
 * failure does not keep the others from being moved. Returns whether there was none.
 */
export async function pointAll(aims: readonly Aim[], lambda: LambdaClient): Promise<boolean> {
  let failed = 0;
  let moved = 0;
  for (const aim of aims) {
    const { functionName, version, split } = aim.alias;
    if ('to' in aim && aim.to === version && !split) {
      console.log(`unchanged ${functionName}: ${version}`);
      continue;
    }
    const problem = 'to' in aim ? await point(functionName, aim.to, lambda) : aim.problem;
    if (problem === undefined && 'to' in aim) {
      moved++;
      console.log(`moved ${functionName}: ${version} → ${aim.to}`);
    } else {
      failed++;
      console.error(`not moved ${functionName}: ${version}, ${problem}`);
    }
  }
  console.log(`${moved} moved, ${aims.length - moved - failed} unchanged, ${failed} not moved`);
  return failed === 0;
}

/** Returns why Lambda refused, if it did. */
async function point(
  functionName: string,
  version: string,
  lambda: LambdaClient,
): Promise<string | undefined> {
  try {
    await lambda.send(
      new UpdateAliasCommand({
        FunctionName: functionName,
        Name: ALIAS,
        FunctionVersion: version,
        RoutingConfig: { AdditionalVersionWeights: {} },
      }),
    );
    return undefined;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    // The alias was there a moment ago, so what is missing is the version.
    return name === 'ResourceNotFoundException'
      ? `version ${version} no longer exists`
      : `${name}: ${message}`;
  }
}
