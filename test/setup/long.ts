/** Whether `npm run test:long` runs: a test that takes random cases then takes many more of them. */
export const isLong = process.env.TEST_LONG === 'on';
