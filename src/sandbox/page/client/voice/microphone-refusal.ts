/** Returns why the browser provided no microphone, and what the member can do. */
export function microphoneRefusal(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  switch (name) {
    case 'NotAllowedError':
      return 'The browser was told not to give this page the microphone. Allow it beside the address, or say a sample.';
    case 'NotFoundError':
      return 'There is no microphone. Connect one and try again, or say a sample.';
    case 'NotReadableError':
      return 'Another program uses the microphone. Close it there and try again, or say a sample.';
    default:
      return 'The microphone could not be used. Try again, or say a sample.';
  }
}
