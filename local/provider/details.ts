import { listed } from './coins.ts';
import type { Asset } from './market.ts';
import { isoSeconds } from './time.ts';

/** `/coins/{id}`: the listed entry with the fields around it; the simulation has no texts, people or links. */
export function coinDetails(asset: Asset, lastMs: number): object {
  return {
    ...listed(asset.coin),
    tags: [],
    team: [],
    description: '',
    message: '',
    open_source: true,
    started_at: null,
    development_status: '',
    hardware_wallet: false,
    proof_type: '',
    org_structure: '',
    hash_algorithm: '',
    first_data_at: isoSeconds(asset.firstMs),
    last_data_at: isoSeconds(lastMs),
  };
}
