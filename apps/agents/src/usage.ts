import { behaviours } from '@kimi-tc/testing';
import { defaultModel, sdkNames } from './options.ts';

export const exitCode = { answered: 0, failed: 1, usage: 2 } as const;

/** The text of `--help`. */
export function createUsage(): string {
  return `An agent that looks into the sample project and answers a question about it.

Usage: npm run demo -- [options] [question]

  --show-raw        show what the server sent beside what the app received
  --sdk NAME        ${sdkNames}: what the agent is made with
  --json            print one JSON object a line for each event
  --transport NAME  chat (default), or completions: prompts go to a bare /v1/completions
  --fault NAME      let the pretend engine do something wrong
  -h, --help        show this

Without anything set, a pretend engine answers: it plays a script, whatever is asked.
A real endpoint answers with these environment variables:

  KIMI_BASE_URL  for example http://127.0.0.1:8000/v1
  KIMI_API_KEY   if it wants one
  KIMI_MODEL     default: ${defaultModel}

Exit codes: ${exitCode.answered} answered · ${exitCode.failed} no answer, or something failed · ${exitCode.usage} wrong usage · 130 ctrl-c

Faults:

${Object.entries(behaviours)
  .map(([name, { doc }]) => `  ${name}\n      ${doc}`)
  .join('\n')}
`;
}
