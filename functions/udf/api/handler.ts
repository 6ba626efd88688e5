import { adapterEndpoint } from '../../../shared/http/adapter.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { history } from '../history.ts';
import { config, search, symbols, time } from '../symbols.ts';
import { route } from './route.ts';

export const handler = adapterEndpoint(
  route,
  { config, time, symbols, search, history },
  { failure: (_status, errmsg) => ({ s: 'error', errmsg }), failureStatus: 200 },
);

await atInit(currentSnapshot);
