/** The registry cannot be opened, or was asked something that it cannot answer. The message names file and reason. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}
