/** The settings of `npm start`: those of all functions, and its own. */
import { existsSync } from 'node:fs';
import { callerVariables } from '../http-api/callers.ts';
import { chains } from '../shared/chains.ts';
import { refuseProblems, settingProblems, type Variable, variables } from '../shared/platform/environment.ts';
import { SECRET_REFERENCE } from '../shared/platform/fetched-secret.ts';
import { integerBetween, notNodeUrls } from '../shared/platform/setting-problems.ts';
import type { LocalEnvironment } from './function-environment.ts';

const localVariables: Readonly<Record<string, Variable>> = {
  PORT: { description: 'The port to listen on', default: '3000', problem: integerBetween(0, 65_535) },
  ...callerVariables,
  REGISTRY_SOURCE: { description: 'Where the coin registry comes from', problem: notRegistrySource },
};

const nodeUrls = Object.fromEntries(
  Object.values(chains).map(({ name, rpcUrlSecret }): [string, Variable] => [
    rpcUrlSecret,
    {
      description: `The node of ${name}`,
      secret: true,
      problem: (text) => (text.startsWith(SECRET_REFERENCE) ? undefined : notNodeUrls(text)),
    },
  ]),
);

/** Throws a ConfigurationError that lists all invalid settings with the allowed values. */
export function refuseUnusableSettings(env: LocalEnvironment): void {
  refuseProblems(settingProblems({ ...localVariables, ...variables, ...nodeUrls }, env));
}

function notRegistrySource(text: string): string | undefined {
  const isSource = ['live', 'simulated'].includes(text) || existsSync(text);
  return isSource ? undefined : 'must be live, simulated or the path of a list file';
}
