import { builtPage } from '../../http-api/page.ts';
import { type LocalServiceOptions, startLocalService } from '../../local/service.ts';

export interface ClientService {
  /** The address without a slash at its end. */
  readonly url: string;
  /** Puts a fault of the simulated provider in force; null: none. */
  setFault(fault: string | null): void;
  close(): Promise<void>;
}

/** The synthesized template and the page with a simulated provider, as `npm start -- --simulated` serves them. */
export async function startService(options: LocalServiceOptions = {}): Promise<ClientService> {
  const { url, provider, close } = await startLocalService({
    quiet: true,
    page: builtPage,
    ...options,
    provider: { mode: 'simulated' },
  });
  return { url, setFault: (fault) => provider.simulated?.provider.setFault(fault), close };
}
