"""ask.py SOCKET QUESTIONS CONNECTIONS - put the bytes of the file QUESTIONS to a server, over several connections at once.

An @ in them is the number of the connection.  Of each the number of bytes of the answers is printed, and their checksum, when the server
has closed it."""

import socket
import sys
import threading
import zlib

path, questions, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
answers = [b""] * count


def send(connection, data):
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


def talk(number, data):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        sender = threading.Thread(target=send, args=(connection, data))
        sender.start()
        got = []
        while block := connection.recv(65536):
            got.append(block)
        sender.join()
        answers[number] = b"".join(got)


with open(questions, "rb") as file:
    text = file.read()
threads = [threading.Thread(target=talk, args=(i, text.replace(b"@", b"%d" % i))) for i in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for i, answer in enumerate(answers):
    print(i, len(answer), zlib.crc32(answer))
