"""Import conversations from files.

transcripts        turns, messages, whole conversations
chatgpt_export     the archive that ChatGPT exports
restore            archives of `turnfold export`, restored as rows
"""
