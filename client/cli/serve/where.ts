import type { Terminal } from '../terminal.ts';
import { isOfThisMachine } from './address.ts';

/** For a command that reached no service. */
export function whereToStart(baseUrl: string, { repository }: Terminal): string {
  const asked = `Is the service running at ${baseUrl}?`;
  const other = 'name another with --url or MARKETDATA_URL.';
  if (!isOfThisMachine(baseUrl)) return `${asked} If not, ${other}`;
  return repository === undefined
    ? `${asked} npx marketdata serve says where one comes from; or ${other}`
    : `${asked} Start it with npx marketdata serve or npm start, or ${other}`;
}
