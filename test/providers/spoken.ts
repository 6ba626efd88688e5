/** Every exchange's proper answers to the same questions, small, in its own shape. */
import { binance } from './spoken/binance.ts';
import { coinbase } from './spoken/coinbase.ts';
import { kraken } from './spoken/kraken.ts';

export const spoken = [coinbase, kraken, binance] as const;
