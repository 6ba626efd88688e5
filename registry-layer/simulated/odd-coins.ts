/** Coins whose ids break the pattern `symbol-name`, as they occur in the provider's list. */
export const oddCoins = [
  { id: 'xch-chia-', name: 'Chia', symbol: 'XCH', type: 'coin' },
  { id: 'mobilecoin', name: 'MobileCoin', symbol: 'MOB', type: 'coin' },
  { id: '-doggotothemoon', name: 'Dog (Bitcoin)', symbol: 'DOG', type: 'token' },
  { id: 'bork-bork-SOL', name: 'Bork', symbol: 'BORK', type: 'token' },
  { id: 'toto-totoro-inu-?', name: 'Totoro Inu', symbol: 'TOTO', type: 'token' },
  { id: '战旗-战旗', name: '战旗', symbol: '战旗', type: 'token' },
] as const;
