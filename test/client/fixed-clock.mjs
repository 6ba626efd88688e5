// For a program whose output a test compares: `node --import` stops its clock at FIXED_TIME.
const time = Date.parse(process.env.FIXED_TIME ?? '');
if (Number.isFinite(time)) Date.now = () => time;
