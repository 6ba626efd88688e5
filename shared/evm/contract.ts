import Type from 'typebox';
import { chainNames, chains } from './chains.ts';

const description = 'The chain; `local` is a node on your own machine';
export const chainEnum = () => Type.Enum(chainNames, { description });
export const chainParameter = Type.Enum(chainNames, { default: 'mainnet', description });

export const address = (description: string) => Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description });

export const amountField = (description: string) => Type.String({ pattern: '^[0-9]+$', description });

/** Checked in full by parseAddress. */
export const accountParameter = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, description });

export const nodeEnvironment = ['UPSTREAM_TIMEOUT_MS'] as const;
/** One chain's node is enough for the routes to exist. */
export const nodeSecrets = chainNames.map((name) => [chains[name].rpcUrlSecret]);

/** An account of the chain `local` for the documents' examples. */
export const exampleAccount = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export const nodeFailures = {
  502: "The chain's node is unreachable, fails, or gives an unusable answer",
  504: "The chain's node does not answer in time",
} as const;
