/** The parts that the ABIs of contracts are put together from, typed as viem reads them. */
export const field = <Name extends string, Type extends string>(name: Name, type: Type) =>
  ({ name, type }) as const;

export const nonpayable = { type: 'function', stateMutability: 'nonpayable' } as const;
