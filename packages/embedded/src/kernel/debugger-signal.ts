/**
 * SIGUSR1 makes a Node.js process open its debugger to whoever connects, and a kernel is a process of the same user. A listener takes the place of that.
 * It stays for good: without one the signal would end the process.
 */
export function ignoreDebuggerSignal(): void {
  if (!process.listeners('SIGUSR1').includes(ignore)) process.on('SIGUSR1', ignore)
}

function ignore(): void {}
