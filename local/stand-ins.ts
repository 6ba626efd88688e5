/** Servers that replace external APIs of protocols, in local runs with a chain. */
import type { Domain } from '../shared/http/domain.ts';
import type { StandIn } from '../shared/http/stand-in.ts';
import type { LocalEnvironment } from './function-environment.ts';

export interface StandIns extends Pick<StandIn, 'environment' | 'close'> {
  /** The domains whose data is invented. */
  readonly names: readonly string[];
}

/** Starts the stand-ins of domains whose required secret is not in `env`. */
export async function startStandIns(domains: readonly Domain[], env: LocalEnvironment): Promise<StandIns> {
  const names: string[] = [];
  const started: StandIn[] = [];
  const close = async () => {
    await Promise.all(started.map((standIn) => standIn.close()));
  };
  try {
    for (const { name, routes, standIn } of domains) {
      const lacks = routes.some(({ secrets }) => secrets.some((secret) => !env[secret]));
      if (!standIn || !lacks) continue;
      started.push(await standIn());
      names.push(name);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { names, environment: Object.assign({}, ...started.map(({ environment }) => environment)), close };
}
