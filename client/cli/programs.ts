/** The programs of the package: `marketdata` has all commands, each other one is a command by itself. */
export const programs = ['price', 'cprice', 'chart', 'cchart', 'coinsearch', 'marketdata'] as const;

export type Program = (typeof programs)[number];
