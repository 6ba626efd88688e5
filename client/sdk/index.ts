export type { Answer, DatedAnswer, Quality, RatedAnswer } from './answer.ts';
export { createClient } from './client.ts';
export { ApiFailure } from './failure.ts';
export type { CallOptions, ClientOptions, IdempotentCallOptions } from './request.ts';
export type { RetryLimits } from './retry.ts';
export type * from './routes.ts';
export { ProviderRpcError, type RpcTransport, rpcTransport } from './rpc-transport.ts';
