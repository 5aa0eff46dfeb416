// The smoke as a program: the base URL in, what passed out.
import { runSmoke } from './smoke.ts';

console.log(JSON.stringify(await runSmoke(process.argv[2] ?? '')));
