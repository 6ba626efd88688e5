export { type CandleQuality as Quality, candleQualities as qualities, weakest } from './provenance.ts';
