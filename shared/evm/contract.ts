import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Hex } from 'viem';
import { chainNames, chains } from '../chains.ts';
import type { Address } from './values.ts';

const description = 'The chain; `local` is a node on your own machine';
export const chainEnum = () => Type.Enum(chainNames, { description });
/** The chain in a body; without it, servedChain chooses. */
export const chainParameter = Type.Optional(
  Type.Enum(chainNames, {
    description: `${description}; by default the first that is served`,
  }),
);

/** Handlers return only checked addresses. */
export const address = (description?: string) =>
  Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', ...(description && { description }) }));

export const amountField = (description: string) => Type.String({ pattern: '^[0-9]+$', description });

/** An account in a request; parseAddress checks it in full. */
export const accountParameter = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, description });

/** One side of a trade; checked in full by parseToken. */
export const tokenParameter = () =>
  accountParameter("a token's address, or ETH (0xEeee…EEeE and the zero address also stand for it)");

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
  value: amountField('The wei to send with the call'),
  gasLimit: amountField("At least a fifth more than the node's estimate or the gas of the simulation"),
};

/** Fields of every payload, so that clients can check it before it is signed. */
export const checkedFields = {
  chainId: Type.Integer({ description: 'The only chain that it is valid for' }),
  spender: orNull(address(), 'The contract that takes the token; null if no token is taken'),
  summary: Type.String({ description: 'What it does, in one line for a wallet to show' }),
};

/** An unsigned swap. */
export const swapFields = {
  ...payloadFields,
  ...checkedFields,
  from: address('The only address that may sign it'),
  recipient: address('The address that gets the output'),
  minAmountOut: amountField('The swap reverts below it; in base units of tokenOut'),
};

/** What currently prevents the payload from succeeding. Not an error, because it may be sent once the issues are resolved. */
export const issuesField = Type.Object(
  {
    allowance: orNull(
      Type.Object({
        actual: amountField("The spender's current allowance of the input"),
        required: amountField('The amount that the swap needs'),
        spender: address('The contract to approve'),
      }),
      'An allowance that does not suffice, which an approval resolves; null if it does',
    ),
    balance: orNull(
      Type.Object({
        token: Type.String({ description: 'Its address, or ETH' }),
        actual: amountField("The sender's balance"),
        required: amountField('The amount that the swap needs'),
      }),
      'Null if the sender has enough',
    ),
    simulation: orNull(
      Type.String(),
      'Why the swap could not be simulated, so that amounts are those of the quote; null if it was',
    ),
  },
  {
    description: 'What the swap still lacks; send it after these are resolved, or together with the approval',
  },
);

export type Payload = Readonly<Static<TObject<typeof payloadFields>>>;
export type Issues = Readonly<Static<typeof issuesField>>;

export const nodeFailures = {
  502: "The chain's node is unreachable, fails, or returns an unusable response",
  504: "The chain's node does not respond in time",
} as const;
