import type { Coin } from '../../commands/coins.ts';
import type { FailureResult } from '../../commands/result.ts';
import type { DashboardItem } from '../dashboard.ts';
import { type CardRequest, keyOf, nameOf } from '../panel/card-request.ts';

/** At a time: an address with many coins leaves room for other requests. */
const AT_A_TIME = 4;

export type Find = (symbol: string) => Promise<Coin | FailureResult>;

export interface LookedUp {
  /** In the order of the address. */
  readonly requests: readonly CardRequest[];
  /** One for each coin that was not found, and one for all that could not be asked for. */
  readonly failures: readonly FailureResult[];
}

export interface Lookup {
  /** Notes the coins of cards, which need not be looked up any more. */
  know(requests: readonly CardRequest[]): void;
  /** The cards whose coins are all known. */
  known(items: readonly DashboardItem[]): readonly CardRequest[];
  /** Looks up the coins of cards. Never rejects. */
  all(items: readonly DashboardItem[]): Promise<LookedUp>;
}

/** The coins behind the symbols of an address, each asked for once. */
export function createLookup(find: Find): Lookup {
  const coins = new Map<string, Coin>();
  const nameIn = (symbol: string) => symbol.toLowerCase();
  const coinOf = (symbol: string) => coins.get(nameIn(symbol));

  function requestsOf(items: readonly DashboardItem[]): readonly CardRequest[] {
    const requests = items.flatMap(({ command, isLogarithmic }): CardRequest[] => {
      const coin = coinOf(command.symbol);
      if (!coin) return [];
      const others = command.compare.flatMap((symbol) => {
        const other = coinOf(symbol);
        return other && other.id !== coin.id ? [{ coin: other, name: nameOf(other, symbol) }] : [];
      });
      const compared = others.filter(
        (each, index) => others.findIndex((other) => other.coin.id === each.coin.id) === index,
      );
      return [
        {
          coin,
          compared: compared.map((each) => each.coin),
          isLogarithmic,
          command: {
            ...command,
            symbol: nameOf(coin, command.symbol),
            compare: compared.map(({ name }) => name),
          },
        },
      ];
    });
    const keys = requests.map(keyOf);
    return requests.filter((_request, index) => keys.indexOf(keys[index] ?? '') === index);
  }

  return {
    know(requests) {
      for (const { coin, compared, command } of requests) {
        coins.set(nameIn(coin.id), coin);
        coins.set(nameIn(command.symbol), coin);
        for (const [index, other] of compared.entries()) {
          coins.set(nameIn(other.id), other);
          coins.set(nameIn(command.compare[index] ?? other.id), other);
        }
      }
    },
    known(items) {
      const isKnown = ({ command }: DashboardItem) => symbolsOf(command).every(coinOf);
      return requestsOf(items.filter(isKnown));
    },
    async all(items) {
      const named = items.flatMap(({ command }) => symbolsOf(command));
      const unknown = named.filter((symbol, index) => {
        const isFirst = named.findIndex((other) => nameIn(other) === nameIn(symbol)) === index;
        return isFirst && !coinOf(symbol);
      });
      const failures: FailureResult[] = [];
      while (unknown.length > 0 && failures.every(isUnknown)) {
        const asked = unknown.splice(0, AT_A_TIME);
        const answers = await Promise.all(asked.map(find));
        for (const [index, symbol] of asked.entries()) {
          const answer = answers[index];
          if (answer && 'kind' in answer) failures.push(answer);
          else if (answer) coins.set(nameIn(symbol), answer);
        }
      }
      const [other] = failures.filter((failure) => !isUnknown(failure));
      return {
        requests: requestsOf(items),
        failures: [...failures.filter(isUnknown), ...(other ? [other] : [])],
      };
    },
  };
}

/** The coin does not exist; of any other failure the same question may be answered later. */
export function isUnknown({ reason }: FailureResult): boolean {
  return reason === 'not-found' || reason === 'usage';
}

function symbolsOf({ symbol, compare }: DashboardItem['command']): readonly string[] {
  return [symbol, ...compare];
}
