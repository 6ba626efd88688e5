import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Hex } from 'viem';
import { chainNames, chains } from '../chains.ts';
import type { Address } from './values.ts';

const description = 'The chain; `local` is a node on your own machine';
export const chainEnum = () => Type.Enum(chainNames, { description });
/** For a body; without it, servedChain chooses. */
export const chainParameter = Type.Optional(
  Type.Enum(chainNames, {
    description: `${description}; by default the first that is served`,
  }),
);

/** Handlers return only checked addresses. */
export const address = (description?: string) =>
  Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', ...(description && { description }) }));

export const amountField = (description: string) => Type.String({ pattern: '^[0-9]+$', description });

/** Checked in full by parseAddress. */
export const accountParameter = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, description });

/** One side of a trade; checked in full by parseToken. */
export const tokenParameter = () =>
  accountParameter("a token's address, or ETH (0xEeee…EEeE and the zero address are taken for it)");

export const nodeEnvironment = ['UPSTREAM_TIMEOUT_MS'] as const;
/** One chain's node is enough to deploy the routes. */
export const nodeSecrets = chainNames.map((name) => [chains[name].rpcUrlSecret]);

/** An account of the chain `local` for the documents' examples. */
export const exampleAccount = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export const orNull = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** An unsigned transaction, with amounts as decimal text. */
export const payloadFields = {
  to: address('The contract to call'),
  data: Type.Unsafe<Hex>(Type.String({ pattern: '^0x([0-9a-f]{2})*$', description: 'Calldata' })),
  value: amountField('In wei, to send along'),
  gasLimit: amountField("More than the node's estimate, or than a trial used, by a fifth at least"),
};

/** Fields of every payload, so that clients can check it before it is signed. */
export const checkedFields = {
  chainId: Type.Integer({ description: 'The only chain that it is meant for' }),
  spender: orNull(address(), 'The contract that takes the token; null where none is taken'),
  summary: Type.String({ description: 'What it does, in one line for a wallet to show' }),
};

/** An unsigned swap. */
export const swapFields = {
  ...payloadFields,
  ...checkedFields,
  from: address('The only address that is to sign it'),
  recipient: address('Gets the output'),
  minAmountOut: amountField('The swap reverts below it; in base units of tokenOut'),
};

/** What currently prevents the payload from succeeding. Not an error, because it may be sent once the issues are resolved. */
export const issuesField = Type.Object(
  {
    allowance: orNull(
      Type.Object({
        actual: amountField('What the spender may take of the input today'),
        required: amountField('What the swap takes'),
        spender: address('To approve'),
      }),
      'To be cured by an approval; null if there is enough',
    ),
    balance: orNull(
      Type.Object({
        token: Type.String({ description: 'Its address, or ETH' }),
        actual: amountField('What the sender has'),
        required: amountField('What the swap takes'),
      }),
      'Null if the sender has enough',
    ),
    simulation: orNull(
      Type.String(),
      "Why the swap could not be tried, so that amounts are the quote's; null if it was",
    ),
  },
  { description: 'What the swap lacks as things are; to be sent after its cure, or together with it' },
);

export type Payload = Readonly<Static<TObject<typeof payloadFields>>>;
export type Issues = Readonly<Static<typeof issuesField>>;

export const nodeFailures = {
  502: "The chain's node is unreachable, fails, or gives an unusable answer",
  504: "The chain's node does not answer in time",
} as const;
