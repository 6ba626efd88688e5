import { delimiter, dirname } from 'node:path';
import type { Variables } from '../terminal.ts';

/** The environment of a process that prepares or is the service: `node` is the Node that runs, as npm has it. */
export function serviceEnvironment(env: Variables): NodeJS.ProcessEnv {
  return { ...env, PATH: [dirname(process.execPath), env.PATH].join(delimiter) };
}
