// Loaded before a program: its clock is ahead of the machine's.
const ahead = Number(new URL(import.meta.url).searchParams.get('ms'));

const MachineDate = Date;

globalThis.Date = class extends MachineDate {
  constructor(...given) {
    super(...(given.length > 0 ? given : [MachineDate.now() + ahead]));
  }

  static now() {
    return MachineDate.now() + ahead;
  }
};
