/** `--inspect`: which functions accept a debugger, and on which ports. */
import { freePort } from './loopback.ts';
import type { TemplateFunction } from './template.ts';

export interface Inspected {
  /** The function's name. */
  readonly name: string;
  readonly port: number;
}

/** The debuggers' default port. */
const FIRST_PORT = 9229;
/** A session at a breakpoint must not time out. */
export const INSPECTED_SECONDS = 86_400;

/**
 * The functions with a name (`marketdata/ticker` or `MarketdataTicker`; all for an empty one), each with a free port.
 * Throws an Error that lists the existing names.
 */
export async function inspectedFunctions(
  functions: readonly Pick<TemplateFunction, 'name'>[],
  wanted: string,
): Promise<Inspected[]> {
  const chosen = functions.filter(({ name }) => wanted === '' || plainName(name) === plainName(wanted));
  if (chosen.length === 0) {
    const names = functions.map(({ name }) => name).join(', ');
    throw new Error(`--inspect: there is no function ${wanted}; there are ${names}`);
  }
  const inspected: Inspected[] = [];
  for (const { name } of chosen) {
    const port = await freePort((inspected.at(-1)?.port ?? FIRST_PORT - 1) + 1);
    inspected.push({ name, port });
  }
  return inspected;
}

/** Arguments for Node. */
export function inspectArgs(port: number): string[] {
  return [`--inspect=127.0.0.1:${port}`, '--enable-source-maps'];
}

/** A function's name in the one form that `marketdata/ticker` and `MarketdataTicker` share. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
