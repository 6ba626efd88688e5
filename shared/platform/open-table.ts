import type { SharedTable } from './table.ts';

type Open = (name: string) => SharedTable;

let registered: Open | undefined;

/** Opens all tables from now on in place of DynamoDB's. For a server of one's own, before it imports the first handler. */
export function useTables(open: Open | undefined): void {
  registered = open;
}

/** Opens a shared table by its name; DynamoDB's unless a server has registered its own. The code of either is loaded when used. */
export async function openTable(
  name: string,
  limits?: { readonly answerWithinMs?: number },
): Promise<SharedTable> {
  if (registered) return registered(name);
  const { dynamoTable } = await import('./dynamo-table.ts');
  return dynamoTable(name, undefined, limits);
}
