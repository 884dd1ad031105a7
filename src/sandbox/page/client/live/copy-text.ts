/** Copies a text to the clipboard. Throws an error with a text for the member if the browser does not allow it. */
export async function copyText(text: string): Promise<void> {
  // Browsers offer no clipboard to pages of another machine without https.
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
