/** A stored object is not what its name promises, or of a version that this reader does not know. The message says why. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
