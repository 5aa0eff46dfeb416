import { EdgeVM } from '@edge-runtime/vm';
import { bundle } from './bundle.ts';

/** The smoke in the VM that has the globals of edge functions, and no others. */
export async function runInEdgeVm(baseURL: string): Promise<readonly string[]> {
  const vm = new EdgeVM();
  vm.evaluate(await bundle('smoke.ts', { format: 'iife', conditions: ['edge-light', 'worker'] }));
  return vm.evaluate<Promise<string[]>>(`smoke.runSmoke(${JSON.stringify(baseURL)})`);
}
