export { type Chain, type ChainName, chainNames, chains } from '../chains.ts';
