import { ApiError } from '../../../shared/http/errors.ts';
import { type SharedTable, TableUnavailable } from '../../../shared/platform/table.ts';

const tables = new Map<string, SharedTable>();

/**
 * The shared table for the faucet; the AWS SDK is loaded when it is first asked for something. Its failures are
 * TableUnavailable: what was asked of it may have happened all the same. Throws the 500 of a wrong configuration
 * if there is none: a faucet without a memory would give without end.
 */
export function faucetTable(name: string | undefined): SharedTable {
  if (!name) throw ApiError.serverConfiguration('The faucet needs SHARED_TABLE');
  let table = tables.get(name);
  if (!table) {
    table = withOneError(async () =>
      (await import('../../../shared/platform/dynamo-table.ts')).dynamoTable(name),
    );
    tables.set(name, table);
  }
  return table;
}

function withOneError(open: () => Promise<SharedTable>): SharedTable {
  let opened: Promise<SharedTable> | undefined;
  const use = async <T>(ask: (table: SharedTable) => Promise<T>): Promise<T> => {
    opened ??= open();
    try {
      return await ask(await opened);
    } catch (error) {
      throw new TableUnavailable('the shared table is unavailable', { cause: error });
    }
  };
  return {
    get: (key) => use((table) => table.get(key)),
    update: (key, change) => use((table) => table.update(key, change)),
  };
}

/** Turns a table that failed into a 503; everything else stays as it was thrown. */
export function toldToCaller(error: unknown): never {
  if (!(error instanceof TableUnavailable)) throw error;
  throw new ApiError(503, 'The faucet is not available at the moment; try again later', { cause: error });
}
