/** A chain as sources of token prices name it, and how addresses are written there. */
export interface Chain {
  readonly name: string;
  readonly address: RegExp;
}

/** Compared without case, so stored in lower case. */
const evm = /^0x[\da-f]{40}$/;
/** Thirty-two bytes in base 58, in which case means something. */
const solana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const tron = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

const chain = (name: string, address = evm): Chain => ({ name, address });

/** By the name that whoever lists contracts has for the platform, which is the id of its coin. */
export const chains: Readonly<Record<string, Chain>> = {
  'eth-ethereum': chain('ethereum'),
  'bnb-binance-coin': chain('bsc'),
  'matic-polygon': chain('polygon'),
  'pol-polygon-ecosystem-token': chain('polygon'),
  'arb-arbitrum': chain('arbitrum'),
  'op-optimism': chain('optimism'),
  'base-base': chain('base'),
  'avax-avalanche': chain('avax'),
  'sol-solana': chain('solana', solana),
  'trx-tron': chain('tron', tron),
  'ftm-fantom': chain('fantom'),
  's-sonic': chain('sonic'),
  'gno-gnosis': chain('xdai'),
  'celo-celo': chain('celo'),
  'cro-cronos': chain('cronos'),
  'zksync-zksync': chain('era'),
  'zk-zksync': chain('era'),
  'mnt-mantle': chain('mantle'),
  'pls-pulsechain': chain('pulse'),
  'kava-kava': chain('kava'),
  'one-harmony': chain('harmony'),
  'glmr-moonbeam': chain('moonbeam'),
  'movr-moonriver': chain('moonriver'),
  'aurora-aurora': chain('aurora'),
};

/** The address as it is stored and asked for; undefined if it is none of that chain. */
export function addressOn({ address }: Chain, text: string): string | undefined {
  const written = address === evm ? text.trim().toLowerCase() : text.trim();
  return address.test(written) ? written : undefined;
}
