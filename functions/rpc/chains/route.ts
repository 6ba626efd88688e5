import Type from 'typebox';
import { chainNames } from '../../../shared/chains.ts';
import { address, nodeSecrets } from '../../../shared/evm/contract.ts';
import { defineRoute } from '../../../shared/http/route.ts';

export const route = defineRoute({
  name: 'rpc/chains',
  method: 'GET',
  path: '/api/rpc',
  summary: 'The chains that this service serves, with their tokens',
  description: 'Those whose node is configured, in the order of preference. No node is asked.',
  limit: 'read',
  response: Type.Object({
    default: Type.Enum(chainNames, { description: 'The chain of a request that names none' }),
    chains: Type.Array(
      Type.Object({
        name: Type.Enum(chainNames, { description: 'As `chain` takes it' }),
        chainId: Type.Integer({ description: 'As wallets know it (EIP-155)' }),
        testnet: Type.Boolean({ description: 'Its native token is worth nothing' }),
        nativeSymbol: Type.String(),
        wrappedNative: address('The token that wraps the native one, as pools trade it'),
        tokens: Type.Array(
          Type.Object({ symbol: Type.String(), address: address('Of the token'), decimals: Type.Integer() }),
          {
            description:
              'Those that this service knows: routes pass through them, and it shows them by symbol',
          },
        ),
      }),
    ),
  }),
  // Their values are not read: a function knows by their names which chains there are.
  requestSecrets: nodeSecrets,
  example: {},
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 5, // an answer is good for all callers, and caches may give it for five minutes
});
