/** The service is not configured as it must be; the message is for the development log, never for the caller. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
