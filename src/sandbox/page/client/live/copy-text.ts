/** Copies text to the clipboard. If the browser does not allow it, throws an error with a message for the member. */
export async function copyText(text: string): Promise<void> {
  // Without https, browsers give a page no access to the clipboard unless it comes from the same machine.
  if (!('clipboard' in navigator)) {
    throw new Error('This browser does not let the page copy. Select the text and copy it by hand.');
  }
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    throw new Error('The browser did not let the page copy. Select the text and copy it by hand.', {
      cause: error,
    });
  }
}
