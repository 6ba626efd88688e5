import type { Domain } from '../../shared/http/domain.ts';
import { route as api } from './api/route.ts';

/** A data feed for TradingView's charting library, in the protocol of its `UDFCompatibleDatafeed`. */
export const domain: Domain = { name: 'udf', routes: [api] };
