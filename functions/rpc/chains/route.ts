import Type from 'typebox';
import { chainNames } from '../../../shared/chains.ts';
import { address, nodeSecrets } from '../../../shared/evm/contract.ts';
import { defineRoute } from '../../../shared/http/route.ts';

export const route = defineRoute({
  name: 'rpc/chains',
  method: 'GET',
  path: '/api/rpc',
  summary: 'The supported chains, with their tokens',
  description: 'Chains with a configured node, in the order of preference. Makes no node requests.',
  limit: 'read',
  response: Type.Object({
    default: Type.Enum(chainNames, { description: 'The chain of a request that names none' }),
    chains: Type.Array(
      Type.Object({
        name: Type.Enum(chainNames, { description: 'A value for `chain`' }),
        chainId: Type.Integer({ description: 'The id that wallets use (EIP-155)' }),
        testnet: Type.Boolean({ description: 'Whether its native token has no value' }),
        nativeSymbol: Type.String(),
        wrappedNative: address('The wrapped native token, which pools trade'),
        tokens: Type.Array(
          Type.Object({
            symbol: Type.String(),
            address: address('The token’s address'),
            decimals: Type.Integer(),
          }),
          {
            description:
              'The tokens that this service knows: routes pass through them, and it shows them by symbol',
          },
        ),
      }),
    ),
  }),
  // Their values are not read: their names determine which chains there are.
  requestSecrets: nodeSecrets,
  example: {},
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 5, // one response serves all callers, and caches may store it for five minutes
});
