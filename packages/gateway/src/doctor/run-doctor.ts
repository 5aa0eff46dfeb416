import { renderPrompt, resolveModel } from '@kimi-tc/core';
import { UsageError } from '../terminal/usage-error.ts';
import { type Endpoint, type EndpointOptions, openEndpoint, type Reply } from './endpoint.ts';
import { type FaultCode, type Finding, faults, type Level } from './faults.ts';
import type { Probe, ProbeContext, Verdict } from './probe.ts';
import { probes } from './probes/all.ts';

export interface DoctorOptions extends EndpointOptions {
  /** Absent: the only one that the endpoint lists, or the only Kimi model among them. */
  readonly model?: string | undefined;
  readonly slowMs: number;
  /** How many probes run at once. */
  readonly parallel: number;
  /** Hears of each probe that is done. */
  onProgress?(done: number, total: number, name: string): void;
}

export interface Report {
  readonly baseUrl: string;
  readonly model: string;
  /** Whether the model id tells what kimi-tc has to know; else the option `model` has to. */
  readonly family: string;
  readonly healthy: boolean;
  readonly requests: number;
  /** Faults first; each once. */
  readonly findings: readonly ReportedFinding[];
  readonly probes: readonly ReportedProbe[];
}

export interface ReportedFinding {
  readonly code: FaultCode;
  readonly level: Level;
  readonly title: string;
  /** What was seen, where it was seen first. */
  readonly detail: string;
  /** Names of the probes that saw it. */
  readonly seenBy: readonly string[];
  readonly mendedIn: 'replies' | 'requests' | 'nothing';
  readonly fix: string;
}

export interface ReportedProbe {
  readonly name: string;
  readonly asks: string;
  readonly outcome: 'passed' | 'faults' | 'notes' | 'inconclusive' | 'skipped';
  /** Why it is inconclusive, or was skipped. */
  readonly reason?: string | undefined;
}

type Judged = { readonly probe: Probe; readonly verdict: Verdict | 'skipped' };

/**
 * Asks an endpoint all there is to ask, and tells what is wrong with it.
 *
 * @throws UsageError if it cannot be reached, wants another key, or its model is not known
 */
export async function runDoctor(options: DoctorOptions): Promise<Report> {
  let model = options.model ?? '';
  const endpoint = openEndpoint(options, () => model);
  if (model === '') model = chooseModel(await endpoint.listModels());
  const profile = resolveModel(model);
  const context: ProbeContext = { profile, slowMs: options.slowMs };
  const judged = await runProbes(endpoint, context, options);
  const findings = report(judged);
  return {
    baseUrl: options.baseUrl,
    model,
    family: profile.family,
    healthy: findings.every(({ level }) => level === 'note'),
    requests: endpoint.sent,
    findings,
    probes: judged.map(describe),
  };
}

function chooseModel(listed: readonly string[] | undefined): string {
  if (!listed)
    throw new UsageError('--model: expected the id of a model; the endpoint does not list its models');
  const kimi = listed.filter((id) => resolveModel(id).family !== 'unknown');
  const [only, ...others] = listed.length === 1 ? listed : kimi;
  if (only !== undefined && others.length === 0) return only;
  const known = (kimi.length > 0 ? kimi : listed).slice(0, 10).join(', ');
  throw new UsageError(`--model: expected the id of a model; the endpoint has ${known || 'none'}`);
}

async function runProbes(
  endpoint: Endpoint,
  context: ProbeContext,
  options: DoctorOptions,
): Promise<Judged[]> {
  const { parallel, onProgress } = options;
  const [gate, ...rest] = probes;
  let done = 0;

  async function run(probe: Probe): Promise<Judged> {
    const replies: Reply[] = [];
    for (const body of probe.requests) replies.push(await endpoint.chat(body));
    if (probe === gate && replies.every(({ failure }) => failure)) {
      return { probe, verdict: await judgeClosedGate(probe, replies, endpoint, context, options.baseUrl) };
    }
    onProgress?.(++done, probes.length, probe.name);
    return { probe, verdict: probe.judge(replies, context) };
  }

  const first = await run(gate);
  if (isClosed(first)) return [first, ...rest.map((probe): Judged => ({ probe, verdict: 'skipped' }))];
  const judged: Judged[] = [];
  const waiting = [...rest.entries()];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) judged[next[0]] = await run(next[1]);
  }
  await Promise.all(Array.from({ length: parallel }, work));
  return [first, ...judged];
}

function isClosed({ verdict }: Judged): boolean {
  return verdict !== 'skipped' && verdict.inconclusive !== undefined;
}

/** Not even a plain request was answered: nothing else is worth asking. */
async function judgeClosedGate(
  probe: Probe,
  replies: readonly Reply[],
  endpoint: Endpoint,
  context: ProbeContext,
  baseUrl: string,
): Promise<Verdict> {
  const { status, message = '' } = replies[0]?.failure ?? {};
  const said = message === '' ? `status ${status}` : `status ${status}, ${message}`;
  if (status === 401 || status === 403) {
    throw new UsageError(
      `${baseUrl}: refuses the key (${said}); --api-key-env names the variable that holds it`,
    );
  }
  const inconclusive = 'not even a plain request is answered';
  if (status === 404 || status === 405 || status === 501) {
    if (await hasCompletions(endpoint, context)) {
      return { findings: [{ code: 'no-chat-endpoint', detail: said }], inconclusive };
    }
    throw new UsageError(`${baseUrl}: has no chat completions (${said}); the base URL often ends in /v1`);
  }
  return { findings: probe.judge(replies, context).findings, inconclusive };
}

async function hasCompletions(endpoint: Endpoint, { profile }: ProbeContext): Promise<boolean> {
  if (profile.family === 'unknown' || profile.family === 'k3') return false;
  const prompt = renderPrompt({ model: profile, messages: [{ role: 'user', content: 'Say hello.' }] });
  return (await endpoint.completeText(prompt)) === 200;
}

function report(judged: readonly Judged[]): ReportedFinding[] {
  const seen = new Map<FaultCode, { finding: Finding; seenBy: Set<string> }>();
  for (const { probe, verdict } of judged) {
    for (const finding of verdict === 'skipped' ? [] : verdict.findings) {
      const entry = seen.get(finding.code) ?? { finding, seenBy: new Set() };
      entry.seenBy.add(probe.name);
      seen.set(finding.code, entry);
    }
  }
  const order = Object.keys(faults);
  const rank = ({ code, level }: ReportedFinding): number =>
    (level === 'fault' ? 0 : 1000) + order.indexOf(code);
  return [...seen.values()]
    .map(
      ({ finding, seenBy }): ReportedFinding => ({
        code: finding.code,
        ...faults[finding.code],
        detail: finding.detail ?? '',
        seenBy: [...seenBy],
      }),
    )
    .sort((a, b) => rank(a) - rank(b));
}

function describe({ probe: { name, asks }, verdict }: Judged): ReportedProbe {
  if (verdict === 'skipped')
    return { name, asks, outcome: 'skipped', reason: 'a plain request is not answered' };
  const { findings, inconclusive } = verdict;
  if (findings.some(({ code }) => faults[code].level === 'fault')) return { name, asks, outcome: 'faults' };
  if (findings.length > 0) return { name, asks, outcome: 'notes' };
  return inconclusive === undefined
    ? { name, asks, outcome: 'passed' }
    : { name, asks, outcome: 'inconclusive', reason: inconclusive };
}
