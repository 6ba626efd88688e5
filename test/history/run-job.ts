/** A process of its own for one run of a job: its handler's file is the argument. */
const { handler } = await import(process.argv[2] ?? '');
await handler();
